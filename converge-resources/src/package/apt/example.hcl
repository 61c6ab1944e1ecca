# Two packages and their dependencies, from repositories whose lists are at most a day old.

param "packages" {
  default = ["mc", "tree"]
}

param "unwanted" {
  default = "telnetd"
}

package.apt "tools" {
  name             = param.packages
  recommends       = false
  cache_valid_time = "24h"
}

package.apt "unwanted" {
  name       = param.unwanted
  state      = "absent"
  autoremove = true
}
