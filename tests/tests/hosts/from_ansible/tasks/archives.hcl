file.directory "tool" {
  destination = "/opt/tool"
  owner       = "app"
  group       = "deploy"
  mode        = "0755"
}

unarchive "tool" {
  source      = "/srv/tool.tar.gz"
  destination = file.directory.tool.destination
  strip       = 1
  owner       = "app"
  group       = "deploy"
}

file.link "tool" {
  destination = "/usr/local/bin/tool"
  target      = "/opt/tool/bin/tool"
}

file.query "release" {
  path = "/etc/os-release"
  hash = true
}

file.fetch "release" {
  source      = "file:///etc/os-release"
  destination = "/opt/release"
  hash_type   = "sha256"
  hash        = file.query.release.hash
  owner       = "app"
  mode        = "0640"
}

git.checkout "sources" {
  repository  = "/srv/sources.git"
  destination = "/opt/sources"
  revision    = "v1"
}
