"""tau_env: a customer-service benchmark environment with a real database and exact graders."""
