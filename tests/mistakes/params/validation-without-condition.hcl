# expect: ? at 6:3 |validation| condition

param "port" {
  default = 80

  validation {
    message = "never"
  }
}
