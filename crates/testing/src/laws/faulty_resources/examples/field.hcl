# A field that there is no more.
test.wrong "a" {
  destination = "/srv/a"
}
