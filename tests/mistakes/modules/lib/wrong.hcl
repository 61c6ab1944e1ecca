file.content "page" {
  destnation = "page.txt"
}
