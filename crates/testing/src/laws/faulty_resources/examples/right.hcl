# With what others have.
file.directory "home" {
  destination = "/srv"
}

test.wrong "a" {
  path    = "/srv/a"
  depends = ["file.directory.home"]
}
