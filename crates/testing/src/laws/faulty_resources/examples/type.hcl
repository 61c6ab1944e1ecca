# Something else.
file.content "a" {
  destination = "/srv/a"
}
