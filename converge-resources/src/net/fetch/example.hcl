# Fetches a file, and checks what it hashes to before it is put in its place.
param "source" {
  default = "file:///etc/os-release"
}

param "destination" {
  default = "/srv/os-release"
}

file.fetch "release" {
  source      = param.source
  destination = param.destination
  mode        = "0644"
  force       = true
}

file.fetch "copy" {
  source      = file.fetch.release.destination
  destination = "{{param `destination`}}.copy"
}
