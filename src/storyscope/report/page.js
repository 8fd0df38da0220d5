// The page works without this: with it, the film plays where it is pointed at.
const film = document.querySelector("video");
if (film) {
  const heads = [...document.querySelectorAll(".track")].map((track) => {
    const head = document.createElement("i");
    head.className = "playhead";
    track.append(head);
    return head;
  });
  film.addEventListener("timeupdate", () => {
    const share = (film.currentTime / Number(film.dataset.duration)) * 100;
    document.body.classList.add("playing");
    heads.forEach((head) => (head.style.left = `${Math.min(100, share)}%`));
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-seconds]");
    if (!link) return;
    event.preventDefault();
    film.currentTime = Number(link.dataset.seconds);
    film.play();
    film.scrollIntoView({ block: "center" });
  });
}
