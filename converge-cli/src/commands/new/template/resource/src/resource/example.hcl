sample_crate "welcome" {
  path = "/etc/welcome.txt"
  text = "Hello!\n"
}
