# expect: not-a-number at 5:17 |777| 777 is a decimal number

file.mode "motd" {
  destination = "motd.txt"
  mode        = 777
}
