# The key by which all users of this machine know another one.

param "host" {
  default = "git.example.com"
}

param "key" {
  default = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB"
}

user.known_host "git" {
  host = param.host
  key  = param.key
}
