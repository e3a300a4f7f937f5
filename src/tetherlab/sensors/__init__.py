"""What would be measured, h(x) and its Jacobian, once for the simulator and the estimator."""
