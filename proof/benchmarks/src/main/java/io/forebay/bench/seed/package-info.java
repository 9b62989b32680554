/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The designs that Forebay is measured against, rebuilt from their descriptions: a component
 * without a transport, and a service that puts it between two Chronicle queues by generated method
 * writers and readers ("A deep dive into a low latency microservice", 2016); and a pipeline of such
 * services ("Microservices in the Chronicle World – Part 5", 2016).
 */
@NullMarked
package io.forebay.bench.seed;

import org.jspecify.annotations.NullMarked;
