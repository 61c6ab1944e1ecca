# A file system on a logical volume, mounted now and whenever the machine starts.

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

filesystem "web" {
  device = "{{lookup `lvm.logicalvolume.web.device`}}"
  mount  = "/srv/web"
  fstype = "ext4"
}
