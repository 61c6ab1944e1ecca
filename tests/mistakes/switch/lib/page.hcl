file.content "page" {
  destination = "page.txt"
}
