# expect: missing-field at 6:3 |validation {| `condition` is required

param "port" {
  default = 80

  validation {
    message = "never"
  }
}
