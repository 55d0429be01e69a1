// Only a browser without modules loads this file.
var start = document.getElementById("start");
if (start)
  start.textContent =
    "This browser is too old for this page. Use a newer one, or play in the terminal: hoity resume";
