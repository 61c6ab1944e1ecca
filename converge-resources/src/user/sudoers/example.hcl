# What the users of a group may do as root.

param "group" {
  default = "operators"
}

user.sudoers "operators" {
  name    = "operators"
  content = "%{{param `group`}} ALL=(root) NOPASSWD: /usr/bin/systemctl restart web.service"
}
