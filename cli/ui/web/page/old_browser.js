// Only a browser without modules loads this file.
document.getElementById("start").textContent =
  "This browser is too old for this page. Use a newer one, or play in the terminal: hoity resume";
