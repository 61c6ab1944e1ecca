# Who looks after the host, and the user whom the service runs as.

param "people" {
  type = "map"
}

user.group "editors" {
  name = "editors"
  gid  = 4100
}

user.group "web" {
  name = "web"
  gid  = 4101
}

user.user "web" {
  username  = "web"
  uid       = 4101
  groupname = user.group.web.name
  home_dir  = "/srv/web"
  name      = "The web service"
}

user.user "person" {
  for_each    = param.people
  username    = each.key
  name        = each.value
  create_home = true
  home_dir    = format("/home/%s", each.key)
}

file.content "welcome" {
  for_each    = param.people
  destination = format("/home/%s/welcome.txt", each.key)
  content     = "Welcome, {{each.value}}.\n"
  mode        = 0644
  depends     = ["user.user.person"]
}

file.content "sudo" {
  destination = "/etc/sudoers.d/editors"
  content     = "%{{lookup `user.group.editors.name`}} ALL=(web) NOPASSWD: ALL\n"
  mode        = 0440
  depends     = ["file.directory.sudo"]
}

file.directory "sudo" {
  destination = "/etc/sudoers.d"
  mode        = 0750
}
