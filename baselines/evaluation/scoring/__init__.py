"""`baselines.evaluate`: policies of any kind, scored and compared in one call."""

from baselines.support.extras import check_extra

check_extra("rich")
