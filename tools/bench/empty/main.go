// Command empty does nothing: the floor under every Go program's run time.
package main

func main() {}
