# expect: expression at 5:17 |random_password| there is no function `random_password`; write `random.password.NAME.value`

file.content "secret" {
  destination = "/tmp/secret"
  content     = random_password(24)
}
