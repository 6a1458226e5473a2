console.log;
