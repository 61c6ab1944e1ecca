# Nothing is needed.
test.able "x" {}
