"""Broader concepts made of the 1000 ImageNet classes: a beagle is a dog, a dog is an animal.

A network trained on ImageNet knows 120 breeds but not "dog". Every group here lists the numbers of
its classes; a class or a group may be in several groups. Most are kinds of a thing; some are places
and activities recognised by the things that belong to them (kitchen, snow, sport).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np

CLASSES = 1000

GROUPS = {
    # Animals
    "animal": "0-397",
    "bird": "7-24 80-100 127-146",
    "bird of prey": "21-24",
    "owl": "24",
    "eagle": "22",
    "songbird": "10-20",
    "chicken": "7-8",
    "grouse": "80-83",
    "parrot": "87-90",
    "duck": "97-98",
    "waterfowl": "97-100",
    "swan": "100",
    "wading bird": "127-143",
    "stork": "127-128",
    "heron": "131-133",
    "crane": "134",
    "seabird": "144-146",
    "penguin": "145",
    "fish": "0-6 389-397",
    "shark": "2-4",
    "ray": "5-6",
    "salmon": "391",
    "amphibian": "25-32",
    "salamander": "25-29",
    "frog": "30-32",
    "reptile": "33-68",
    "turtle": "33-37",
    "lizard": "38-48",
    "crocodile": "49-50",
    "dinosaur": "51",
    "snake": "52-68",
    "mammal": "101-106 147-299 330-388",
    "marsupial": "104-106",
    "elephant": "101 385-386",
    "marine mammal": "147-150",
    "whale": "147-148",
    "dolphin": "148",
    "seal": "150",
    "dog": "151-268",
    "hound": "160-177",
    "terrier": "179-204",
    "retriever": "205-209",
    "spaniel": "156 215-221",
    "sheepdog": "226-235",
    "wolf": "269-271",
    "wild dog": "269-275",
    "fox": "277-280",
    "cat": "281-285",
    "big cat": "286-293",
    "feline": "281-293",
    "bear": "294-297",
    "panda": "387-388",
    "rabbit": "330-332",
    "rodent": "333-338",
    "squirrel": "335-336",
    "horse": "339",
    "pig": "341-343",
    "cattle": "345-347",
    "buffalo": "346-347",
    "sheep": "348-349",
    "goat": "350",
    "antelope": "351-353",
    "camel": "354-355",
    "weasel": "356-359",
    "otter": "360",
    "ape": "365-369",
    "monkey": "370-382",
    "lemur": "383-384",
    "primate": "365-384",
    "hoofed animal": "339-355",
    "predator": "269-299",
    "invertebrate": "69-79 107-126 300-329",
    "insect": "300-326",
    "beetle": "300-307",
    "butterfly": "321-326",
    "dragonfly": "319-320",
    "spider": "72-77",
    "scorpion": "71",
    "crab": "118-121 125",
    "lobster": "122-124",
    "crustacean": "118-126",
    "mollusc": "112-117",
    "shell": "112 116-117",
    "snail": "113-115",
    "coral": "109 973",
    "sea creature": "2-6 33-34 65 107-112 115-123 125 147-150 327-329 389-397 973",
    # Land, water and plants
    "landscape": "970 972-980",
    "mountain": "970 979-980",
    "volcano": "980",
    "coast": "972 975-978",
    "sea": "973 976-978",
    "beach": "977-978",
    "lake": "975",
    "plant": "738 936-946 948-958 984-990 998",
    "flower": "984-986",
    "fungus": "947 991-997",
    "seed": "987-990 998",
    "snow": "450 537 795 802-803 970",
    "underwater": "983 973 108-109 391-397 801",
    # Vehicles and roads
    "vehicle": "403-405 407-408 436 444 450 466 468 472 484 510-511 537 547 554-555 561 565 569 "
    "573 575-576 586 603 609 612 621 625 627-628 654 656 660-661 665 670-671 675 690 705 717 724 "
    "734 751 757 779-780 802-803 812 814 817 820 829 833 847 856 864 866-867 870-871 874 880 895 "
    "914",
    "car": "407 436 468 479 511 573 609 627 656 661 734 751 817",
    "truck": "555 569 586 675 717 803 864 867",
    "bus": "654 779 874",
    "train": "466 547 565 705 820 829",
    "bicycle": "444 671 870 880",
    "motorcycle": "665 670",
    "aircraft": "404-405 417 812 895 908",
    "aeroplane": "404 895 908",
    "ship": "403 510 554 628 724 780 833 913",
    "boat": "472 484 554 576 625 780 814 871 914",
    "sailing boat": "484 780 724 871 914",
    "spacecraft": "812",
    "farm machine": "595 730 856 866",
    "wheel": "479 694",
    "road": "919-920 704 475",
    "traffic": "436 468 479 511 654 656 675 705 717 734 779 817 829 864 867 874 919-920",
    # Buildings and rooms
    "building": "410 415 424-425 437 442 449 454 467 483 497-498 500 509 538 580 582 624 634 663 "
    "668 698 727 743 762 788 832 853 858 860 865 873 900 915",
    "house": "425 449 500 660 853 858 915",
    "castle": "483 698",
    "church": "406 442 497 538 663 884",
    "temple": "538 649 663 668 832",
    "tower": "437 442 682 900",
    "bridge": "821 839 888",
    "ruin": "500 649",
    "monument": "458 649 682 708 863 873",
    "shop": "415 424 454 467 509 582 788 860 865",
    "harbour": "449 460 510 536 554 718",
    "dam": "525",
    "farm": "410 425 595 730 856 866 958 345 912",
    "fence": "489 716 825 912",
    "roof": "538 853 858",
    "wall": "825",
    "stage": "818-819 854 650",
    "theatre": "498 598 819 854",
    "restaurant": "532 762 923",
    "kitchen": "505 521 534 544 550 567 651 659 760 766 827 849 859 891 896 909",
    "bathroom": "435 648 794 804 861 876 896 999",
    "bedroom": "431 516 520 564 721 750",
    "furniture": "423 431 453 492-493 495 516 520 526 532 548 553 559 564 703 765 831 846 857 894",
    "chair": "423 559 703 765 857",
    "bed": "431 516 520 564",
    "table": "526 532 736",
    # Things
    "clothing": "399-400 411 433 439 443 445 451-452 457 459 474 496 501 514-515 529 552 568 578 "
    "591 601 608 610 614 617 630 638-639 652 655 658 667 689 697 715 735 770 774-775 793 796 806 "
    "808 824 834 841-842 869 887 903 906",
    "uniform": "400 439 465 617 652 715",
    "hat": "439 452 515 667 715 793 808",
    "helmet": "518 560 715",
    "dress": "399 578 601 614 655 689",
    "shoe": "502 514 630 770 774",
    "armour": "461 465 490 524 787",
    "jewellery": "679",
    "glasses": "836-837",
    "mask": "570 643 691 796",
    "bag": "414 636 728 748 790",
    "bottle": "440 720 737 898 901 907",
    "cup": "441 504 572 647 968",
    "dish": "659 809 868 923",
    "tool": "462 473 477 499 512 587 596 621 726 740 783-784 792 813",
    "weapon": "413 456 471 499 596-597 657 744 763-764 847 777",
    "gun": "413 471 763-764",
    "machine": "480 540 550 571 595 606 621 713 742 786 800 856 859 882 886 897",
    "computer": "508 527 590 592 613 620 664 673 681 782 810",
    "screen": "527 598 620 664 681 782 851",
    "telephone": "487 528 707",
    "camera": "622 732 759 872",
    "television": "598 664 782 851",
    "clock": "409 530-531 604 826 835 892",
    "book": "453-454 624 917 921",
    "writing": "458 549 781 878 916-919 921-922",
    "graphics": "611 916-918 921-922 971",
    "lamp": "470 607 619 818 846 862",
    "fire": "470 556 607 626 644 862 980",
    "musical instrument": "401-402 420 432 486 494 513 541-542 546 558 566 577 579 593-594 641-642 "
    "683-684 687 699 776 822 875 881 889",
    "guitar": "402 420 546",
    "piano": "579 881",
    "drum": "541-542 822",
    "ball": "429-430 522 574 722 768 805 852 890",
    "sport": "416 422 429-430 433 450 522 543 560 574 602 615 693 702 722 736 746-747 752 768 795 "
    "801 805 852 890 981",
    "toy": "476 611 680 723 843 850 865",
    "medical equipment": "419 523 570 617 678 691 720 823 830 845",
    "science": "438 617 633 688 712 727 755 798",
    "container": "412 427 463 478 492 519 588 653 738 756 883 899",
    "food": "924-957 959-969 987",
    "fruit": "948-957 988-989",
    "vegetable": "935-946",
    "bread": "930-932 961",
    "meal": "924-927 933-935 959 962-965",
    "dessert": "927-929 960",
    "drink": "441 503 572 737 907 966-969",
    "person": "981-983 399-400 445 639 652 834 842",
    "diver": "983 801",
    "wedding": "578 982",
}
"""Name of a broader concept -> its classes."""

DISPLAY = {
    101: "elephant", 282: "tiger cat", 421: "handrail", 506: "coil", 638: "leotard",
    671: "mountain bike", 692: "packet", 744: "missile", 837: "sunglasses", 854: "curtain",
    884: "vaulted ceiling", 919: "street sign", 978: "seashore", 990: "buckeye", 998: "ear of corn",
}  # fmt: skip
"""Classes whose usual name does not read well."""

UNRELIABLE = frozenset(
    {
        "website", "comic book", "crossword", "dust jacket", "menu", "envelope", "oscilloscope",
        "jigsaw puzzle", "bubble", "window screen", "window shade", "shower curtain", "curtain",
        "packet", "web site", "graphics", "writing", "screen", "digital clock", "spotlight",
        "matchstick", "lampshade", "velvet fabric", "band-aid", "Band-Aid", "lighter",
    }
)  # fmt: skip
"""Classes for credits, darkness and blur: true of the picture, useless as a title."""

VAGUE_GROUPS = frozenset(
    {
        "animal", "mammal", "invertebrate", "predator", "hoofed animal", "feline", "clothing",
        "container", "machine", "sea creature", "person", "road", "wall", "wheel", "plant", "seed",
    }
)  # fmt: skip
"""Concepts to search for and to match terms to, but too broad to name a story."""


def class_numbers(group: str) -> Iterator[int]:
    """The classes that a group with this name includes."""
    for piece in GROUPS[group].split():
        first, _, last = piece.partition("-")
        yield from range(int(first), int(last or first) + 1)


@cache
def group_matrix() -> np.ndarray:
    """Classes x groups, one where the class belongs: posteriors times this are the groups'."""
    matrix = np.zeros((CLASSES, len(GROUPS)), dtype=np.float32)
    for column, group in enumerate(GROUPS):
        matrix[list(class_numbers(group)), column] = 1.0
    return matrix


def plain_name(name: str) -> str:
    """A class name as people say it, without explanations or alternatives."""
    name = re.sub(r"\s*\([^)]*\)", "", name)
    return re.split(r" / |, | or ", name)[0].strip()


def display_names(class_names: Sequence[str]) -> tuple[str, ...]:
    """Readable names of the 1000 classes."""
    return tuple(DISPLAY.get(number, plain_name(name)) for number, name in enumerate(class_names))
