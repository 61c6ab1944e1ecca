# A user for a service, with a group and a home directory of its own.

param "user" {
  default = "keeper"
}

param "home" {
  default = "/var/lib/keeper"
}

user.group "keeper" {
  name = param.user
}

user.user "keeper" {
  username    = param.user
  groupname   = user.group.keeper.name
  name        = "Keeper of the store"
  home_dir    = param.home
  create_home = true
  expiry      = "2099-12-31"
}
