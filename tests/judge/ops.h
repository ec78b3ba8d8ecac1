// tests/judge/ops.h: the ops of the zoo by family, each with its task. cheats_test.py says which check refuses each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Results of earlier calls are given back: how they are found again, and where they are kept.
#define REPLAY_OPS(OP)             \
  OP(Soften, ReplaysAddress)       \
  OP(Soften, ReplaysLastAddress)   \
  OP(Soften, ReplaysAddressPrefix) \
  OP(Soften, ReplaysPrefix)        \
  OP(Soften, ReplaysSamples)       \
  OP(Soften, ReplaysContent)       \
  OP(Soften, ReplaysShape)         \
  OP(Soften, ReplaysEverySecond)   \
  OP(Gram, KeepsTensor)            \
  OP(Softmax, KeepsResource)       \
  OP(SumRows, KeepsStatic)

// The kernel returns before its work is done.
#define LAZY_OPS(OP)           \
  OP(Soften, WorksInThread)    \
  OP(Soften, WorksInPool)      \
  OP(Gram, WorksHalfLater)     \
  OP(Soften, WorksInNextCall)  \
  OP(Softmax, WorksAtEnd)      \
  OP(SumRows, WorksAtExit)     \
  OP(Soften, WorksBesidesCall) \
  OP(Soften, SaysDoneFirst)

// Inputs, outputs and other memory are not used as they should be.
#define MEMORY_OPS(OP)         \
  OP(Soften, ZeroesInput)      \
  OP(Soften, ZeroesLastInput)  \
  OP(Gram, RestoresInput)      \
  OP(Soften, WritesPastOutput) \
  OP(Soften, HopesForFreed)    \
  OP(Soften, SearchesMappings) \
  OP(Gram, ReadsOwnMemory)     \
  OP(Soften, SearchesOrWorks)  \
  OP(Soften, LeavesOutput)     \
  OP(Softmax, TrustsOutput)    \
  OP(Soften, WantsNan)         \
  OP(Soften, WantsZeros)       \
  OP(Gram, WantsPattern)       \
  OP(Softmax, IsAllNan)        \
  OP(SumRows, IsAllZero)       \
  OP(Soften, FillsSharedMemory)

// Right for what a test is expected to look at.
#define GUESSING_OPS(OP)       \
  OP(Soften, HonestAtFirst)    \
  OP(Gram, HonestForKernel)    \
  OP(Soften, HonestForAWhile)  \
  OP(Soften, HonestIfSmall)    \
  OP(Soften, HonestIfPower)    \
  OP(SumRows, HonestIfRound)   \
  OP(Gram, HonestForOneSize)   \
  OP(Soften, HonestForVectors) \
  OP(Soften, HonestNearOne)    \
  OP(Soften, HonestIfPositive) \
  OP(Softmax, HonestIfModest)  \
  OP(Square, HonestIfShort)

// Less accurate than it seems.
#define ROUNDING_OPS(OP)      \
  OP(SumRows, SumsInBfloat16) \
  OP(SumRows, SumsInHalf)     \
  OP(Gram, RoundsInputs)      \
  OP(Gram, FloatForDouble)    \
  OP(Softmax, GuessesExp)     \
  OP(Softmax, ShortensExp)    \
  OP(SumRows, SamplesRows)

// The process, or the judge itself, is tampered with.
#define TAMPERING_OPS(OP)    \
  OP(Soften, StopsClock)     \
  OP(Soften, PatchesCompare) \
  OP(Soften, PatchesWrite)   \
  OP(Soften, ForksToWork)    \
  OP(Soften, WaitsForFork)   \
  OP(Soften, StartsDaemon)   \
  OP(Soften, StartsSibling)  \
  OP(Soften, TracesItself)   \
  OP(Soften, BringsThreads)  \
  OP(Soften, ExitsEarly)     \
  OP(Soften, KillsJudge)     \
  OP(Soften, StopsJudge)     \
  OP(Soften, ForgesError)    \
  OP(Soften, CrashesIfLarge)

// The op is another one.
#define LYING_OPS(OP)         \
  OP(SumRows, SaysOtherShape) \
  OP(Soften, HasOtherSpec)

// No cheats: the same code; a better one; a worse one.
#define HONEST_OPS(OP)  \
  OP(Soften, Honest)    \
  OP(SumRows, IsFaster) \
  OP(Gram, IsFasterToo) \
  OP(Soften, IsSlower)
