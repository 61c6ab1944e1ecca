# expect: ? at 5:3 |validation| short
# run: plan -p name=abcdefgh

param "name" {
  validation {
    condition = length(param.name) < 5
    message   = "a name is short"
  }
}
