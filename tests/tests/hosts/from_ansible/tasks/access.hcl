user.group "system" {
  for_each = ["deploy", "operators"]
  name     = each.key
  system   = true
}

user.group "publishers" {
  name = "publishers"
  gid  = 4200
}

user.user "people" {
  for_each = {
    ada = { uid = 2001, name = "Ada Lovelace", groups = ["operators", "sudo"], hash = "*" }
    grace = {
      uid    = 2002
      name   = "Grace Hopper"
      groups = ["operators"]
      hash   = "$6$saltsalt$qFmFH.bQmmtXzyBY0s9v7Oicd2z4XSIecDzlB5KiA2/jctKu9YterLp8wwnSq.qc.eoxqOmSuNp2xS0ktL3nh/"
    }
  }

  username           = each.key
  uid                = each.value.uid
  name               = each.value.name
  groups             = each.value.groups
  shell              = "/bin/bash"
  password_hash      = each.value.hash
  password_on_create = true
  create_home        = true
}

user.user "app" {
  username  = "app"
  groupname = "deploy"
  system    = true
  home_dir  = "/srv/app"
  shell     = "/usr/sbin/nologin"
}

user.user "mover" {
  username     = "mover"
  groups       = ["publishers"]
  exact_groups = true
  shell        = "/bin/sh"
  lock         = true
}

user.user "leaver" {
  username    = "leaver"
  remove_home = true
  state       = "absent"
}

user.group "leavers" {
  name    = "leavers"
  state   = "absent"
  depends = ["user.user.mover"]
}

user.sudoers "leaver" {
  name  = "leaver"
  state = "absent"
}

user.sudoers "operators" {
  name    = "operators"
  content = "%operators ALL=(root) NOPASSWD: /usr/bin/systemctl restart app"
}

file.directory "keys" {
  for_each    = ["ada", "grace"]
  destination = "/home/{{each.key}}/.ssh"
  owner       = each.key
  group       = each.key
  mode        = "0700"
}

user.known_host "git" {
  host = "git.example.com"
  key  = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB"
}
