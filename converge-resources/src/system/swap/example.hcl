# A file to swap to, for a machine that has too little memory once a day.

param "size" {
  default = "64M"
}

system.swap "file" {
  source   = "/swapfile"
  size     = param.size
  priority = 5
}
