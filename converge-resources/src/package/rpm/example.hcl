# A package of the repositories that the machine knows, and one that is not wanted.

param "package" {
  default = "mc"
}

param "unwanted" {
  default = "telnet-server"
}

package.rpm "tool" {
  name = param.package
}

package.rpm "unwanted" {
  name  = param.unwanted
  state = "absent"
}
