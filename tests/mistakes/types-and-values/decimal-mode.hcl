# expect: ? at 5:17 |777| 0777

file.mode "motd" {
  destination = "motd.txt"
  mode        = 777
}
