"""The decoding process: everything that opens a film with FFmpeg runs inside it.

`storyscope.media` starts it and reads its messages, whose format is in `wire`. It imports no other
package of Storyscope but `processes.lifeline`: it starts hundreds of times, and should start fast.
"""

from storyscope.decoder import wire
from storyscope.decoder.orientation import stand_upright
from storyscope.decoder.sandbox import Sandbox, available
from storyscope.decoder.sound import SOUND_RATE

__all__ = ["SOUND_RATE", "Sandbox", "available", "stand_upright", "wire"]
