"""From words and pictures to concepts.

`title_stories(stories, transcript=..., seen=...)` names the stories of a video.
"""

from storyscope.concepts.titles import Seen, StoryTitle, title_stories

__all__ = ["Seen", "StoryTitle", "title_stories"]
