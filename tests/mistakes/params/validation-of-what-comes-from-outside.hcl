# expect: invalid-param at 4:1 |param "name"| parameter `name`: a name is short
# run: plan -p name=abcdefgh

param "name" {
  validation {
    condition = length(param.name) < 5
    message   = "a name is short"
  }
}
