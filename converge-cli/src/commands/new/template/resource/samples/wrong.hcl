# Two mistakes, and what is said of them in `wrong.txt`.

sample_crate "welcome" {
  pth  = "/tmp/sample-crate.txt"
  text = "Hello!\n"
}

sample_crate "farewell" {
  path  = "/tmp/sample-crate.txt"
  state = "gone"
}
