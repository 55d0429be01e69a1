// Whatever a browser cannot read of the modules, it can read this: without them nothing is drawn.
setTimeout(function () {
  var start = document.getElementById("start");
  if (start && !document.querySelector("#app .bar"))
    start.textContent =
      "This browser is too old for this page. Use a newer one, or play in the terminal: hoity resume";
}, 4000);
