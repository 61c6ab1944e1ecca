# How eager the kernel is to swap, now and after each boot.

param "swappiness" {
  default = 10
}

param "live" {
  default = true
}

system.sysctl "swappiness" {
  name  = "vm.swappiness"
  value = "{{param `swappiness`}}"
  live  = param.live
}
