# expect: invalid-param at 5:13 |80| parameter `port`: the port must be one that needs no root

param "port" {
  type    = "number"
  default = 80

  validation {
    condition = param.port > 1024
    message   = "the port must be one that needs no root"
  }
}
