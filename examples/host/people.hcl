# Who looks after the host, and the user whom the service runs as.

param "people" {
  type = "map"
}

param "keys" {
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
  shell     = "/usr/sbin/nologin"
  name      = "The web service"
}

user.user "person" {
  for_each    = param.people
  username    = each.key
  name        = each.value
  shell       = "/bin/bash"
  groups      = [user.group.editors.name]
  create_home = true
  home_dir    = format("/home/%s", each.key)
}

user.authorized_key "person" {
  for_each = param.keys
  user     = each.key
  key      = each.value
  options  = ["no-agent-forwarding"]
  depends  = ["user.user.person"]
}

file.content "welcome" {
  for_each        = param.people
  destination     = format("/home/%s/welcome.txt", each.key)
  content         = "Welcome, {{each.value}}.\n"
  mode            = 0644
  only_if_missing = true
  depends         = ["user.user.person"]
}

user.sudoers "editors" {
  name    = "editors"
  content = "%{{lookup `user.group.editors.name`}} ALL=(web) NOPASSWD: ALL"
}
