"""The colours of figures (src/picture/page/figure.css) differ for people who do not see all colours as others do.

The matrices are those of G. M. Machado, M. M. Oliveira and L. A. F. Fernandes, "A Physiologically-based Model for Simulation of Color Vision
Deficiency", IEEE TVCG 15 (2009), for the whole absence of one sort of cones, applied to linear RGB. A difference is the distance in CIELAB (CIE76)."""
import itertools
import os
import re
import unittest

from reports import SOURCE

VISION = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
XYZ = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041))
WHITE = (0.95047, 1.0, 1.08883)
# Neighbours in the stacked bars and areas, in the order of the columns; and all lines of a figure together.
USES = [f"{use}-0" for use in ("useful", "p2p", "collective", "rma", "runtime", "io", "sync", "runtime", "idle")]
SERIES = [f"series-{number}" for number in range(5)]
LEAST = 10


def multiply(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector)) for row in matrix]


def lab(colour, vision):
    numbers = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [number / 12.92 if number <= 0.04045 else ((number + 0.055) / 1.055) ** 2.4 for number in numbers]
    seen = [min(max(number, 0), 1) for number in multiply(vision, linear)]
    x, y, z = (t ** (1 / 3) if t > (6 / 29) ** 3 else t / (3 * (6 / 29) ** 2) + 4 / 29 for t in (a / b for a, b in zip(multiply(XYZ, seen), WHITE)))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def difference(one, other, vision):
    return sum((a - b) ** 2 for a, b in zip(lab(one, vision), lab(other, vision))) ** 0.5


class Colours(unittest.TestCase):
    def test_colours_differ_for_all_who_see(self):
        self.assertAlmostEqual(100, difference("#000000", "#ffffff", VISION["deuteranopia"]), 1)
        with open(os.path.join(SOURCE, "src/picture/page/figure.css"), encoding="utf-8") as file:
            found = re.findall(r"--([\w-]+): var\(--light, (#[0-9a-f]{6})\) var\(--dark, (#[0-9a-f]{6})\);", file.read())
        themes = [{name: pair[theme] for name, *pair in found} for theme in range(2)]
        neighbours = [*zip(USES, USES[1:]), *itertools.combinations(SERIES, 2)]
        close = [(round(found, 1), theme, name, one, other) for theme, colours in enumerate(themes) for name, vision in VISION.items() for one, other in neighbours
                 if (found := difference(colours[one], colours[other], vision)) < LEAST]
        self.assertEqual([], sorted(close))


if __name__ == "__main__":
    unittest.main()
