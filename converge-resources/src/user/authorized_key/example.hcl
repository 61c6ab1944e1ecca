# A key with which somebody may log in, and only from one network.

param "user" {
  default = "deploy"
}

param "key" {
  default = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB ada@example.com"
}

user.user "deploy" {
  username    = param.user
  create_home = true
}

user.authorized_key "ada" {
  user    = user.user.deploy.username
  key     = param.key
  options = ["from=\"10.0.0.0/8\"", "no-pty"]
}
