# expect: ? at 9:20 |index (paramList `hosts`) 3| 3

param "hosts" {
  default = ["alpha", "beta", "gamma"]
}

file.content "motd" {
  destination = "motd.txt"
  content     = "{{index (paramList `hosts`) 3}}"
}
