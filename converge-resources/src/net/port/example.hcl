# Waits until something listens on a port.
param "host" {
  default = "localhost"
}

param "port" {
  default = 8080
}

wait.port "service" {
  host         = param.host
  port         = param.port
  interval     = "1s"
  max_retry    = 30
  grace_period = "500ms"
}
