@echo off
rem momo from its sources, for people who work in a clone on Windows: bin\momo pay 0712345678 100
if not exist "%~dp0..\node_modules\bun\bin\bun.exe" (
  node "%~dp0..\scripts\setup.mjs" || exit /b 1
)
"%~dp0..\node_modules\bun\bin\bun.exe" --no-env-file --config="%~dp0..\bunfig.toml" "%~dp0..\cli\main.ts" %*
