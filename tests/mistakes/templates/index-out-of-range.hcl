# expect: template at 9:20 |index (paramList `hosts`) 3| the index 3 is out of range

param "hosts" {
  default = ["alpha", "beta", "gamma"]
}

file.content "motd" {
  destination = "motd.txt"
  content     = "{{index (paramList `hosts`) 3}}"
}
