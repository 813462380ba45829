"""Colours as they are told apart: by everyone, and by readers who lack one kind of cone."""

from __future__ import annotations

import math

Linear = tuple[float, float, float]

# Machado, Oliveira and Fernandes, A Physiologically-based Model for Simulation of Color Vision Deficiency (2009),
# severity 1.0: matrices for linear RGB.
SIGHTS: dict[str, tuple[Linear, Linear, Linear]] = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}

# The set that figures for everyone are most often drawn with (Okabe and Ito 2008), without its black.
OKABE_ITO = ("#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7")

# sRGB to XYZ, and its white
XYZ = (
    (0.4124564, 0.3575761, 0.1804375),
    (0.2126729, 0.7151522, 0.0721750),
    (0.0193339, 0.1191920, 0.9503041),
)
WHITE = (0.95047, 1.0, 1.08883)


def apart(one: str, other: str, sight: str) -> float:
    """The distance of two colours "#rrggbb" as they are seen, by CIEDE2000; about 2 can just be told apart."""
    return ciede2000(_lab(_seen(one, sight)), _lab(_seen(other, sight)))


def _seen(color: str, sight: str) -> Linear:
    parts = [_linear(int(color[i : i + 2], 16) / 255) for i in (1, 3, 5)]
    red, green, blue = (
        min(1.0, max(0.0, sum(a * b for a, b in zip(row, parts, strict=True)))) for row in SIGHTS[sight]
    )
    return red, green, blue


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)


def _lab(linear: Linear) -> Linear:
    def root(t: float) -> float:
        return float(t ** (1 / 3)) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116

    x, y, z = (
        root(sum(a * b for a, b in zip(row, linear, strict=True)) / white)
        for row, white in zip(XYZ, WHITE, strict=True)
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def ciede2000(one: Linear, other: Linear) -> float:
    """Sharma, Wu and Dalal, The CIEDE2000 Color-Difference Formula (2005)."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    g = 0.5 * (1 - math.sqrt(mean**7 / (mean**7 + 25**7)))
    a1, a2 = (1 + g) * a1, (1 + g) * a2
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    h1, h2 = math.degrees(math.atan2(b1, a1)) % 360, math.degrees(math.atan2(b2, a2)) % 360
    turn, middle = h2 - h1, (h1 + h2) / 2
    if c1 * c2 == 0:
        turn, middle = 0.0, h1 + h2
    elif abs(turn) > 180:
        middle += 180 if h1 + h2 < 360 else -180
        turn += 360 if turn < 0 else -360
    chord = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2))
    light, chroma = (l1 + l2) / 2, (c1 + c2) / 2

    def wave(times: int, shift: float) -> float:
        return math.cos(math.radians(times * middle + shift))

    t = 1 - 0.17 * wave(1, -30) + 0.24 * wave(2, 0) + 0.32 * wave(3, 6) - 0.2 * wave(4, -63)
    by_light = (l2 - l1) / (1 + 0.015 * (light - 50) ** 2 / math.sqrt(20 + (light - 50) ** 2))
    by_chroma = (c2 - c1) / (1 + 0.045 * chroma)
    by_hue = chord / (1 + 0.015 * chroma * t)
    angle = 60 * math.exp(-(((middle - 275) / 25) ** 2))
    turned = -2 * math.sqrt(chroma**7 / (chroma**7 + 25**7)) * math.sin(math.radians(angle))
    return math.sqrt(by_light**2 + by_chroma**2 + by_hue**2 + turned * by_chroma * by_hue)
