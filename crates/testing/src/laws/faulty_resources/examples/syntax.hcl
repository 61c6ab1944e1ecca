# A quote is missing.
test.wrong "a" {
  path = "/srv/a
}
