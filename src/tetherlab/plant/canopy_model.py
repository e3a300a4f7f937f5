"""The free part of the tether of a hoist, as an array."""

# free: the part of the tether between its last contact and the robot
FREE_LENGTH, FREE_RATE, FREE_OBJECT = 0, 1, 2  # [m], [m/s], number of the object or -1 for the anchor
NEAREST = -2  # for that number, before the first step: the object next to the contact
FREE_POINT, FREE_ALONG, FREE_SPEED = 3, 6, 9  # contact [m], from there to P, velocity of the contact [m/s]

STEPS = 1  # in `flag`: how many have been taken
