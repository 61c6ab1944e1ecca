# Two volumes in a volume group: one of a fixed size, and one of all that is left.

param "disk" {
  default = "/dev/vdb"
}

lvm.volumegroup "data" {
  name    = "data"
  devices = ["{{param `disk`}}"]
}

lvm.logicalvolume "web" {
  group = "{{lookup `lvm.volumegroup.data.name`}}"
  name  = "web"
  size  = "64M"
}

lvm.logicalvolume "rest" {
  group   = "{{lookup `lvm.volumegroup.data.name`}}"
  name    = "rest"
  size    = "100%FREE"
  depends = ["lvm.logicalvolume.web"]
}
