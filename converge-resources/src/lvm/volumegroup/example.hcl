# A volume group of one disk. A disk that holds anything is refused.

param "disk" {
  default = "/dev/vdb"
}

lvm.volumegroup "data" {
  name    = "data"
  devices = ["{{param `disk`}}"]
}
