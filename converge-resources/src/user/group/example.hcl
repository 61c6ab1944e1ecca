# A group for those who publish a site. The id is fixed, so that it is the same on every machine.

param "group" {
  default = "publishers"
}

param "gid" {
  default = 4200
}

user.group "publishers" {
  name = param.group
  gid  = param.gid
}
