#pragma once

bool freeFunctionsWork();
