# expect: unknown-field at 7:5 |help| param.validation: unknown field `help`

param "port" {
  default = 80
  validation {
    condition = param.port > 0
    help      = "a port is more than 0"
    message   = "a port is more than 0"
  }
}
